import { isRightNode } from './right-node.mjs';
import { version } from './version.ts';

type Program = { main(args: string[]): Promise<void> };

/** Starts the command; what `--version` and an old Node do not need is loaded after them. */
export function start(load: () => Promise<Program>): void {
  const args = process.argv.slice(2);
  if (!isRightNode()) return;
  if (args[0] === '--version' || args[0] === '-V') {
    process.stdout.write(`${version}\n`);
    return;
  }
  // Not awaited, which CommonJS could not do at this place: `main` reports every error itself.
  void load().then(({ main }) => main(args));
}
