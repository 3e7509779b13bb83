import type { FileField } from './included-files.ts';

/** The first argument of a compiled agent that runs a program of Baton, such as the demo agent, instead of itself. */
export const CHILD_FLAG = '--baton-child';

/** The part of the program that describes the agent to `baton compile`. */
export const DESCRIBE = 'describe';

/** Description that `baton compile` requests from a compiled agent. */
export type Description =
  | { name: string; files: FileField[] }
  | { error: { code: string; message: string; hint?: string | undefined } };

/** The descriptor that the description is written to: the agent file may print something. */
export const DESCRIPTION_FD = 3;

/** The arguments for Node that start a part of this very program as a process of its own. */
export function childArguments(name: string): string[] {
  return [process.argv[1] ?? '', CHILD_FLAG, name];
}
