import { VERSION } from '@baton/protocol/version';
import { isRightNode } from './right-node.mjs';

type Program = { main(args: string[]): Promise<void> };

/** Starts the command; what `--version` and an old Node do not need is loaded after them. */
export function start(load: () => Promise<Program>): void {
  const args = process.argv.slice(2);
  if (!isRightNode()) return;
  if (args[0] === '--version' || args[0] === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  // Not awaited, which CommonJS could not do at this place: `main` reports every error itself.
  void load().then(({ main }) => main(args));
}
