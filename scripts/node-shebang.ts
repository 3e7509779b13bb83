/**
 * The first lines of a program for this Node. The kernel splits a first line at spaces, and the path of Node may have
 * some: so a shell runs it, for which the second line is a command and for Node a comment.
 */
export const NODE_SHEBANG = `#!/bin/sh\n':' //; exec '${process.execPath.replaceAll("'", `'\\''`)}' "$0" "$@"\n`;
