import { isInside } from '@baton/config/paths/is-inside';

/** A file named with `@`, whose content Claude puts into the prompt before any tool or hook; a line may follow `#`. */
const MENTION = /(?<![\w.])@+("[^"]+"|[^\s"@][^\s"]*)/g;
/** Signs after a name that are not part of it. */
const AFTER = /[)\]}>,;:!?'`]+$/;

export type ReadPrompt = {
  text: string;
  /** Files outside of the workspace, whose names lost their `@`. */
  outside: readonly string[];
};

/**
 * Takes the `@` from files outside of the workspace, because nobody would be asked before Claude reads them. It gets their
 * names, and its tools ask.
 */
export function withoutOutsideFiles(prompt: string, cwd: string): ReadPrompt {
  const outside: string[] = [];
  const text = prompt.replaceAll(MENTION, (mention: string, name: string) => {
    const path = name.replaceAll('"', '').replace(/#.*/, '').replace(AFTER, '');
    // Without a way out of the folder it may be an agent, a resource of an MCP server, or a person.
    const isOutside = !isInside(cwd, path, { orEqual: true });
    if (!isOutside) return mention;
    outside.push(path);
    return name;
  });
  return { text, outside };
}
