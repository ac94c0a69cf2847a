// Places of cells in a workbook, as its XML names them. Pure.

export interface CellPlace {
  /** From 0, as the row is. */
  readonly x: number;
  readonly y: number;
}

const REFERENCE = /^([A-Z]{1,3})(\d{1,7})/;
const LETTERS = 26;
const BEFORE_A = 64;

/** Of `B3` or `B3:C4`: the first cell. */
export function cellPlace(reference: string): CellPlace | undefined {
  const [, letters, row] = REFERENCE.exec(reference) ?? [];
  if (letters === undefined || row === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - BEFORE_A, 0);
  return { x: column - 1, y: Number(row) - 1 };
}

/** The key of a cell in a map. */
export function cellKey({ x, y }: CellPlace): string {
  return `${x}:${y}`;
}
