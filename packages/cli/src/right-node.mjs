// Plain JavaScript: versions of Node that cannot read TypeScript run this.
const NEEDED = 24;

/** Tells whether this Node can run the command; says what to do if it cannot. */
export function isRightNode() {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= NEEDED) return true;
  process.stderr.write(
    `error (usage): Baton requires Node ${NEEDED} or newer; this is ${node}.\nhint: Install it with your package manager, or with "npm install -g node@${NEEDED}".\n`,
  );
  process.exitCode = 2;
  return false;
}
