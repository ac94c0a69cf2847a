// A small assembler for the classic BPF programs with which the kernel filters system calls. Pure.

export type Step =
  /** Loads 32 bits of the data about the call. */
  | { readonly do: 'load'; readonly offset: number }
  /** Continues at `then` if the test holds for the loaded value, else with the next step. Only forwards. */
  | { readonly do: 'jump'; readonly when: Test; readonly value: number; readonly then: string }
  | { readonly do: 'label'; readonly name: string }
  | { readonly do: 'return'; readonly verdict: number };

type Test = 'equal' | 'at least' | 'any bit';

/** The codes of the kernel's `linux/bpf_common.h`. */
const LOAD_ABSOLUTE = 0x20;
const RETURN_CONSTANT = 0x06;
const JUMPS: Readonly<Record<Test, number>> = { equal: 0x15, 'at least': 0x35, 'any bit': 0x45 };

const BYTES_OF_INSTRUCTION = 8;
const FARTHEST_JUMP = 255;

/** Throws for a label that is missing, before the jump, or too far away. Each is an error in our program. */
export function assemble(steps: readonly Step[]): Buffer {
  const places = new Map<string, number>();
  const instructions: Exclude<Step, { do: 'label' }>[] = [];
  for (const step of steps) {
    if (step.do === 'label') places.set(step.name, instructions.length);
    else instructions.push(step);
  }
  const program = Buffer.alloc(instructions.length * BYTES_OF_INSTRUCTION);
  for (const [index, step] of instructions.entries()) {
    const { code, distance, operand } = encoded(step, index, places);
    const at = index * BYTES_OF_INSTRUCTION;
    program.writeUInt16LE(code, at);
    program.writeUInt8(distance, at + 2);
    program.writeUInt32LE(operand >>> 0, at + 4);
  }
  return program;
}

interface Instruction {
  readonly code: number;
  /** How many instructions a jump skips when its test holds. */
  readonly distance: number;
  readonly operand: number;
}

function encoded(
  step: Exclude<Step, { do: 'label' }>,
  index: number,
  places: ReadonlyMap<string, number>,
): Instruction {
  switch (step.do) {
    case 'load':
      return { code: LOAD_ABSOLUTE, distance: 0, operand: step.offset };
    case 'return':
      return { code: RETURN_CONSTANT, distance: 0, operand: step.verdict };
    case 'jump': {
      const distance = (places.get(step.then) ?? -1) - index - 1;
      if (distance < 0 || distance > FARTHEST_JUMP) throw new Error(`No jump leads to '${step.then}'.`);
      return { code: JUMPS[step.when], distance, operand: step.value };
    }
  }
}
