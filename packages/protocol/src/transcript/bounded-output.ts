/** Characters of a tool's output that its entry keeps, from the start and from the end; the rest is only in the log. */
const HEAD = 64 * 1024;
const TAIL = 192 * 1024;

type BoundedOutput = { output: string; outputCut?: number | undefined };

/** Appends to the output of a tool, and cuts the middle if the output is too long. */
export function addOutput({ output, outputCut }: BoundedOutput, more: string): BoundedOutput {
  const all = { output: output + more, outputCut };
  // Cutting costs a copy: it is only done when there is as much to cut as is kept.
  return all.output.length <= 2 * (HEAD + TAIL) ? all : cutOutput(all);
}

/** Cuts the middle of an output that is too long. */
export function cutOutput({ output, outputCut = 0 }: BoundedOutput): BoundedOutput {
  const cut = output.length - HEAD - TAIL;
  if (cut <= 0) return { output, outputCut: outputCut || undefined };
  return { output: output.slice(0, HEAD) + output.slice(HEAD + cut), outputCut: outputCut + cut };
}
