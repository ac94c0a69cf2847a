// A zip that no library writes: its headers claim that an entry is small, and its directory may list it many
// times.
import { deflateRawSync } from 'node:zlib';

interface HandMade {
  readonly name: string;
  readonly text: string;
  /** The size that its headers claim. */
  readonly said: number;
  /** How often the directory lists it. */
  readonly times: number;
}

export function handMade({ name, text, said: saidBytes, times }: HandMade): Buffer {
  const packed = deflateRawSync(text);
  const said = Buffer.alloc(12);
  said.writeUInt32LE(packed.length, 4);
  said.writeUInt32LE(saidBytes, 8);
  const common = [short(20), short(0), short(8), short(0), short(0), said, short(name.length), short(0)];
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), ...common, Buffer.from(name), packed]);
  const rest = [short(0), short(0), short(0), Buffer.alloc(4), Buffer.alloc(4), Buffer.from(name)];
  const entry = Buffer.concat([Buffer.from('PK\u0001\u0002'), short(20), ...common, ...rest]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(times, 4);
  end.writeUInt16LE(times, 6);
  end.writeUInt32LE(entry.length * times, 8);
  end.writeUInt32LE(local.length, 12);
  const directory = Array.from({ length: times }, () => entry);
  return Buffer.concat([local, ...directory, Buffer.from('PK\u0005\u0006'), end]);
}

function short(value: number): Buffer {
  return Buffer.from([value & 0xff, value >> 8]);
}
