/** A zero-width space: readers do not see it, and platforms do not find a mention across it. */
const BREAK = '\u200b';

/** Syntax of a platform's mentions in the text of a message. */
export type MentionRules = {
  /**
   * Matches a whole mention and captures its beginning; the break goes right after that. The length of a match is
   * bounded, so that a message can always be split before or after it.
   */
  readonly pattern: RegExp;
};

/** The mentions of everyone, of roles and of users, per platform. */
export const MENTIONS = {
  discord: { pattern: /(@)(?:everyone|here)|(<@)[!&]?\d{1,32}>/gi },
  slack: { pattern: /(<!)(?:channel|here|everyone|subteam\^\w{1,64})|(<@)\w{1,64}/gi },
  telegram: { pattern: /(?<![\w@])(@)[a-z]\w{3,31}|(tg:)\/\/user\?id=\d{1,32}/gi },
} as const satisfies Record<string, MentionRules>;

/** Makes every mention in a text of an agent plain text: an answer never notifies anyone. */
export function neutralizeMentions(text: string, { pattern }: MentionRules): string {
  let safe = text;
  // The end of one mention can be the start of the next, so one pass may leave some.
  while (safe.search(pattern) >= 0) {
    safe = safe.replace(pattern, (mention, ...groups: unknown[]) => {
      const head = groups.find((group) => typeof group === 'string') as string;
      return `${head}${BREAK}${mention.slice(head.length)}`;
    });
  }
  return safe;
}

/** The start and end of every mention in a text. */
export function mentionSpans(text: string, { pattern }: MentionRules): [number, number][] {
  return [...text.matchAll(pattern)].map(({ 0: mention, index }) => [
    index,
    index + mention.length,
  ]);
}
