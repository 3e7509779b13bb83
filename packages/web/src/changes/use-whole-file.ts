import type { TrueChange } from '@baton/client';
import { useCallback, useMemo, useRef, useState } from 'react';
import { complain } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { tell } from '../design/toasts.tsx';
import { isWhole } from '../diff/expand-context.ts';
import type { DiffContext } from '../diff/use-expanded-lines.ts';

type Request = {
  session_id: string;
  from: string;
  to: string;
  path: string;
  old_path: string | undefined;
  ignore_space: boolean;
};

/** More lines than any diff that can be shown. */
const ALL_LINES = 100_000;

/** Loads the diff of a file with all of its lines, until the file changes. */
export function useWholeFile({ old_id, new_id }: TrueChange, request: Request): DiffContext {
  const { client } = useDaemon();
  const [loaded, setLoaded] = useState<{ content: string; patch: string }>();
  const { from, to, ignore_space } = request;
  const [before, after] =
    old_id === undefined && new_id === undefined ? [from, to] : [old_id, new_id];
  const content = `${before} ${after} ${ignore_space}`;
  const whole = loaded?.content === content ? loaded.patch : undefined;
  const latest = useRef(request);
  latest.current = request;
  const load = useCallback(async () => {
    if (whole !== undefined) return true;
    try {
      const { patch, cut } = await client.changes.diff({ ...latest.current, context: ALL_LINES });
      const hasAll = !cut && isWhole(patch);
      if (hasAll) setLoaded({ content, patch });
      else if (cut) tell('The file is too long to show more of its lines.', { tone: 'bad' });
      else tell('The other lines of this file are not available here.', { tone: 'bad' });
      return hasAll;
    } catch (error) {
      complain(error);
      return false;
    }
  }, [client, content, whole]);
  return useMemo(() => ({ whole, load }), [whole, load]);
}
