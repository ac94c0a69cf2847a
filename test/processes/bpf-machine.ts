// Runs a program of classic BPF as the kernel does, to see what it says of a system call.

export interface SystemCall {
  readonly architecture: number;
  readonly number: number;
  readonly arguments: readonly bigint[];
}

/** The verdict. Throws for a program that is no program: an unknown code, or one that runs over its end. */
export function verdictOf(program: Buffer, call: SystemCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.architecture, 4);
  for (const [index, value] of call.arguments.entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; at + 8 <= program.length; at += 8) {
    const operand = program.readUInt32LE(at + 4);
    const jump = (holds: boolean) => 8 * program.readUInt8(at + (holds ? 2 : 3));
    switch (program.readUInt16LE(at)) {
      case 0x20:
        loaded = data.readUInt32LE(operand);
        break;
      case 0x06:
        return operand;
      case 0x15:
        at += jump(loaded === operand);
        break;
      case 0x35:
        at += jump(loaded >= operand);
        break;
      case 0x45:
        at += jump((loaded & operand) !== 0);
        break;
      default:
        throw new Error(`Unknown code at ${at}`);
    }
  }
  throw new Error('The program has no end');
}
