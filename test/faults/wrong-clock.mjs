// Loaded before the service, it shifts the machine's clock by `CLOCK_ERROR_MS`.
const RealDate = Date;
const error = Number(process.env.CLOCK_ERROR_MS ?? '0');

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + error);
    else super(...args);
  }

  static now() {
    return RealDate.now() + error;
  }
};
