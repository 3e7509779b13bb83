import { version } from './version.ts';

const NEEDED = 24;

type Program = { main(args: string[]): Promise<void> };

/** Starts the command; what `--version` and an old Node do not need is loaded after them. */
export function start(load: () => Promise<Program>): void {
  const args = process.argv.slice(2);
  if (Number.parseInt(process.versions.node, 10) < NEEDED) {
    process.stderr.write(
      `error (usage): Baton requires Node ${NEEDED} or newer; this is ${process.versions.node}.\nhint: Install it with your package manager, or with "npm install -g node@${NEEDED}".\n`,
    );
    process.exitCode = 2;
    return;
  }
  if (args[0] === '--version' || args[0] === '-V') {
    process.stdout.write(`${version}\n`);
    return;
  }
  // Not awaited, which CommonJS could not do at this place: `main` reports every error itself.
  void load().then(({ main }) => main(args));
}
