import type { Git, GitCall } from './git.ts';

const MAX_PACK = 1024 * 1024 * 1024;

type CopyOptions = {
  git: Git;
  /** Commits or trees to copy, with everything that they contain. */
  tips: readonly string[];
  /** Commits or trees whose objects both repositories have. */
  except: readonly string[];
};

/** Copies objects from one repository to another, without a transport that could run programs. */
export async function copyObjects(
  from: GitCall,
  to: GitCall,
  { git, tips, except }: CopyOptions,
): Promise<void> {
  if (tips.length === 0) return;
  const input = [...tips, '--not', ...except].map((line) => `${line}\n`).join('');
  const { output } = await git.run(
    ['pack-objects', '--quiet', '--revs', '--stdout', '--missing=allow-any'],
    { ...from, input, maxBytes: MAX_PACK },
  );
  await git.run(['index-pack', '--stdin'], { ...to, input: output });
}
