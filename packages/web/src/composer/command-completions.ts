import type { BackendRecord } from '@baton/client';
import type { Completion } from './completion.tsx';

const MOST = 12;

/** Completes the commands of an agent behind a slash, where it names some. */
export function commandCompletions(backend: BackendRecord | undefined): readonly Completion[] {
  const commands = backend?.commands ?? [];
  if (commands.length === 0) return [];
  const find = async (search: string) =>
    commands
      .filter(({ name }) => name.toLowerCase().startsWith(search.toLowerCase()))
      .slice(0, MOST)
      .map(({ name, description }) => ({ value: name, about: description }));
  return [{ trigger: '/', label: 'Commands', find }];
}
