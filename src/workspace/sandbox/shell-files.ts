// The files that a script of the virtual shell sees, and the two paths to which it appends its output.
import { InMemoryFs, MountableFs, OverlayFs, ReadWriteFs } from 'just-bash';
import type { OutputStream } from '../../processes/outcome.ts';
import { REPORTED_PATHS } from './reporting-script.ts';
import type { ShellOrder } from './shell-order.ts';

type Append = Parameters<MountableFs['appendFile']>;
type Places = Pick<ShellOrder, 'areas' | 'readOnly' | 'fileBytes' | 'looseBytes'>;
type OutputListener = (stream: OutputStream, bytes: Uint8Array) => void;

export class ShellFiles extends MountableFs {
  readonly #report: OutputListener;

  constructor({ areas, readOnly, fileBytes, looseBytes }: Places, onOutput: OutputListener) {
    const base = new InMemoryFs({}, { maxTotalBytes: looseBytes });
    base.mkdirSync('/tmp');
    super({
      base,
      // Links are neither followed nor created, so what a link names outside of the folder stays hidden.
      mounts: [
        ...areas.map(({ virtual, real }) => ({
          mountPoint: virtual,
          filesystem: new ReadWriteFs({ root: real, maxFileReadSize: fileBytes, maxCopySize: fileBytes }),
        })),
        ...readOnly.map(({ virtual, real }) => ({
          mountPoint: virtual,
          filesystem: new OverlayFs({
            root: real,
            mountPoint: '/',
            readOnly: true,
            maxFileReadSize: fileBytes,
          }),
        })),
      ],
    });
    this.#report = onOutput;
  }

  override async appendFile(...[path, content, options]: Append): Promise<void> {
    if (path === REPORTED_PATHS.stdout) this.#report('stdout', bytesOf(content, options));
    else if (path === REPORTED_PATHS.stderr) this.#report('stderr', bytesOf(content, options));
    else await super.appendFile(path, content, options);
  }
}

function bytesOf(content: Append[1], options: Append[2]): Uint8Array {
  if (typeof content !== 'string') return content;
  const encoding = typeof options === 'string' ? options : options?.encoding;
  // Either one character per byte, or text.
  return Buffer.from(content, encoding === 'binary' || encoding === 'latin1' ? 'latin1' : 'utf8');
}
