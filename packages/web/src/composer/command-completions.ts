import type { BackendRecord, BatonClient } from '@baton/client';
import type { Completion } from './completion.tsx';

const MOST = 12;

/** Completes the commands of an agent behind a slash, where it names some, and those that the folder brings for it. */
export function commandCompletions(
  backend: BackendRecord | undefined,
  { client, cwd }: { client: Pick<BatonClient, 'backends'>; cwd: string },
): readonly Completion[] {
  if (!backend || backend.commands.length === 0) return [];
  let known: Promise<BackendRecord['commands']> | undefined;
  const inFolder = () =>
    client.backends.get(backend.id, { cwd }).then(
      ({ commands }) => commands,
      () => backend.commands,
    );
  const find = async (search: string) => {
    // Only for those who type a slash: the daemon looks at the agent anew.
    known ??= cwd === '' ? Promise.resolve(backend.commands) : inFolder();
    const commands = await known;
    return commands
      .filter(({ name }) => name.toLowerCase().startsWith(search.toLowerCase()))
      .slice(0, MOST)
      .map(({ name, description }) => ({ value: name, about: description }));
  };
  return [{ trigger: '/', label: 'Commands', find }];
}
