/** The run goes on in a daemon, and this process no longer follows it. */
export class RunLeft extends Error {
  constructor() {
    super('The run goes on in its daemon.');
  }
}
