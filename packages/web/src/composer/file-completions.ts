import type { BatonClient } from '@baton/client';
import type { Completion } from './completion.tsx';

const MOST = 12;

/** Completes the paths of files behind an @, in the folder of a session or in any folder. */
export function fileCompletions(
  client: BatonClient,
  place: { session_id: string } | { cwd: string },
): readonly Completion[] {
  const find = async (search: string) => {
    const { data } = await client.files.find({ ...place, search, limit: MOST });
    return data.map(({ path, kind }) => ({ value: kind === 'folder' ? `${path}/` : path }));
  };
  return [{ trigger: '@', label: 'Files', find }];
}
