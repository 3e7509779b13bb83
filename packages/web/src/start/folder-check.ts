import type { BatonError } from '@baton/protocol';
import { useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { isAboutFolder, isPlayground } from './default-folder.ts';

type Refused = { path: string; error: BatonError };

/** Looks for the folder of a task before that is given: afterwards, all that it could do is fail. */
export function useFolderCheck() {
  const { client } = useDaemon();
  const [refused, setRefused] = useState<Refused>();
  const [elsewhere, setElsewhere] = useState<string>();
  const attempt = async (path: string, look: () => Promise<{ path: string }>) => {
    try {
      const found = await look();
      setRefused(undefined);
      return found.path;
    } catch (error) {
      if (!isAboutFolder(error)) throw error;
      setRefused({ path, error });
      return undefined;
    }
  };
  /** Gives the whole path of a folder; nothing when there is none. */
  const check = (path: string) => {
    if (path === elsewhere) return Promise.resolve(path);
    const { folders } = client;
    return attempt(path, () =>
      isPlayground(path) ? folders.create({ path }) : folders.find({ path }),
    );
  };
  const make = async (path: string) => {
    if (await attempt(path, () => client.folders.create({ path }))) makeStale('files');
  };
  /** Accepts that another machine has the folder and will run the task. */
  const trust = (path: string) => {
    setElsewhere(path);
    setRefused(undefined);
  };
  return { refused, check, make, trust };
}
