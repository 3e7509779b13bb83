/** How much of the output of a tool is in its entry; the rest is in the log. */
const HEAD = 64 * 1024;
const TAIL = 192 * 1024;

export type BoundedOutput = { output: string; outputCut?: number | undefined };

/** Adds to the output of a tool, and leaves out the middle of what became too long. */
export function addOutput({ output, outputCut }: BoundedOutput, more: string): BoundedOutput {
  const all = { output: output + more, outputCut };
  // Cutting costs a copy: it is only done when there is as much to cut as is kept.
  return all.output.length <= 2 * (HEAD + TAIL) ? all : cutOutput(all);
}

/** Leaves out the middle of an output that is too long. */
export function cutOutput({ output, outputCut = 0 }: BoundedOutput): BoundedOutput {
  const cut = output.length - HEAD - TAIL;
  if (cut <= 0) return { output, outputCut: outputCut || undefined };
  return { output: output.slice(0, HEAD) + output.slice(HEAD + cut), outputCut: outputCut + cut };
}
