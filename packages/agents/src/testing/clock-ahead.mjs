// Imported into a Node process by NODE_OPTIONS: its clock is ahead by the minutes in BATON_TEST_MINUTES_AHEAD.
const aheadMs = Number(process.env.BATON_TEST_MINUTES_AHEAD) * 60_000;
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + aheadMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};
