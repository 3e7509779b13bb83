import { BatonError } from '@baton/protocol/values';
import type { Git } from '../git/git.ts';

export const DEFAULT_BRANCH_TEMPLATE = 'baton/<slug>';
const MAX_SLUG = 40;
const MAX_ATTEMPTS = 10_000;

/** Makes a short ASCII name from a prompt or title, for branches and folders; "task" if no letter or digit is left. */
export function slugOf(text: string): string {
  const words = text
    .slice(0, 500)
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let slug = '';
  for (const word of words) {
    const longer = slug ? `${slug}-${word}` : word;
    if (longer.length > MAX_SLUG) break;
    slug = longer;
  }
  return slug || words[0]?.slice(0, MAX_SLUG) || 'task';
}

type NameRequest = {
  git: Git;
  slug: string;
  /** Template of the branch name, with `<slug>`. */
  template: string;
  /** Branches of the repository and of records. */
  branches: readonly string[];
  /** True if a folder for this slug exists or is reserved. */
  isFolderTaken(slug: string): boolean;
};

/**
 * Chooses a slug and a branch that are free: no branch and no folder has the name, also not in other case, because some
 * file systems keep them apart and others do not.
 */
export async function freeName({
  git,
  slug,
  template,
  branches,
  isFolderTaken,
}: NameRequest): Promise<{ slug: string; branch: string }> {
  if (!template.includes('<slug>')) {
    throw new BatonError('config_invalid', `The branch template "${template}" has no <slug>.`, {
      hint: `Write it like "${DEFAULT_BRANCH_TEMPLATE}".`,
    });
  }
  const taken = branches.map((branch) => branch.toLowerCase());
  const folders = new Set(taken.flatMap(parents));
  const all = new Set(taken);
  // A branch "baton" leaves no room for branches in a folder of that name.
  const isBlocked = parents(branchOf(template, slug).toLowerCase()).some((each) => all.has(each));
  const usable = isBlocked ? template.replaceAll('/', '-') : template;
  await checkBranchName(git, branchOf(usable, slug), template);
  for (let n = 1; n <= MAX_ATTEMPTS; n++) {
    const name = n === 1 ? slug : `${slug}-${n}`;
    const branch = branchOf(usable, name);
    const key = branch.toLowerCase();
    if (!all.has(key) && !folders.has(key) && !isFolderTaken(name)) return { slug: name, branch };
  }
  throw new BatonError('conflict', `Every branch name for "${slug}" is taken.`, {
    hint: 'Choose another name.',
  });
}

/** Rejects with `config_invalid` unless Git accepts the name of a branch. */
async function checkBranchName(git: Git, branch: string, template: string): Promise<void> {
  const { code } = await git.run(['check-ref-format', `refs/heads/${branch}`], {
    cwd: '/',
    answers: [1],
  });
  if (code === 0 && !branch.startsWith('-')) return;
  throw new BatonError('config_invalid', `Git does not accept "${branch}" as a branch name.`, {
    hint: `Change the branch template "${template}".`,
  });
}

function branchOf(template: string, slug: string): string {
  return template.replaceAll('<slug>', slug);
}

/** The folders that a name is in: those of "a/b/c" are "a" and "a/b". */
function parents(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, n) => parts.slice(0, n + 1).join('/'));
}
