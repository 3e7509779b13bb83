/** One entry of the history that an agent sends, reduced to its role. */
export type ConversationItem = { by: 'user'; text: string } | { by: 'model' } | { by: 'tool' };

export interface Prompt {
  /** The key of the last prompt that carries one. */
  key: string | undefined;
  /** Number of model turns since that prompt. */
  turns: number;
}

const keyPattern = /\[\[([\w.:-]+)\]\]/g;

/** Finds the script that a conversation asks for and how far it has come. */
export function findPrompt(items: ConversationItem[]): Prompt {
  const index = items.findLastIndex((item) => item.by === 'user' && keyIn(item.text) !== undefined);
  const prompt = items[index];
  if (prompt?.by !== 'user') return { key: undefined, turns: countTurns(items) };
  return { key: keyIn(prompt.text), turns: countTurns(items.slice(index + 1)) };
}

function keyIn(text: string): string | undefined {
  return [...text.matchAll(keyPattern)].at(-1)?.[1];
}

// Some APIs send one turn as several entries (thought, text, calls), so a turn is an unbroken run.
function countTurns(items: ConversationItem[]): number {
  return items.filter((item, index) => item.by === 'model' && items[index - 1]?.by !== 'model')
    .length;
}
