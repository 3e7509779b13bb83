import type { Finished } from '../workspace/finish.ts';

type Resolving = NonNullable<Finished['resolving']>;

/** The prompt that lets an agent resolve the conflicts of a merge which was started in its folder. */
export function resolvePrompt(
  { target, conflicts, ours, theirs }: Resolving,
  branch: string | null,
): string {
  const list = (title: string, items: readonly string[]) =>
    items.length > 0 ? [`${title}\n${items.map((item) => `- ${item}`).join('\n')}`] : [];
  return [
    `A merge of ${target} into ${branch ?? 'your branch'} has been started in your folder. Resolve its conflicts.`,
    ...list('Files with conflicts:', conflicts),
    ...list('Commits of your branch:', ours),
    ...list(`Commits of ${target} since then:`, theirs),
    'Keep what both sides meant, remove all conflict markers (<<<<<<<, =======, >>>>>>>), and run the tests that concern these files. Do not commit, do not abort the merge, and do not change other branches.',
  ].join('\n\n');
}
