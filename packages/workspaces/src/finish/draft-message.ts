import type { Differences } from '../snapshot/differences.ts';

const MAX_NAMED = 3;

/**
 * Drafts the message of a commit without a model: the words of the branch name, or the changed files. Never the prompt or
 * the answer of an agent.
 */
export function draftMessage({
  branch,
  changes,
  subjects = [],
}: {
  branch: string | undefined;
  changes: Pick<Differences, 'files' | 'total'>;
  /** Subjects of the commits that become one. */
  subjects?: readonly string[] | undefined;
}): string {
  if (subjects.length === 1 && subjects[0]) return subjects[0];
  const words = branch?.split('/').at(-1)?.replaceAll('-', ' ').trim();
  const subject = words ? `${words[0]?.toUpperCase()}${words.slice(1)}` : filesIn(changes);
  if (subjects.length === 0) return subject;
  return [subject, '', ...subjects.map((each) => `- ${each}`)].join('\n');
}

function filesIn({ files, total }: Pick<Differences, 'files' | 'total'>): string {
  const named = files.slice(0, MAX_NAMED).map(({ path }) => path.split('/').at(-1));
  const more = total > MAX_NAMED ? ` and ${total - MAX_NAMED} more` : '';
  return `Change ${named.join(', ')}${more}`;
}
