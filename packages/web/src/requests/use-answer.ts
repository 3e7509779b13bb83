import type { RequestAnswer } from '@baton/protocol';
import { useState } from 'react';
import { complain } from '../data/attempt.ts';
import { useDaemon } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { tell } from '../design/toasts.tsx';
import { keyGuard } from '../guard/use-key-guard.ts';
import { forgetDraft } from './answer-draft.ts';
import type { Asked } from './asked.ts';

/** Gives an answer; `isSent` from the moment on at which another one would be one too many. */
export function useAnswer(asked: Asked) {
  const { session_id, task_id, request_id } = asked;
  const { client } = useDaemon();
  const [isSent, setSent] = useState(false);
  const answer = async (given: RequestAnswer, pattern?: string) => {
    if (isSent) return;
    setSent(true);
    keyGuard.noteAnswer();
    try {
      const { receipt } = await client.permissions.answer({
        session_id,
        task_id,
        request_id,
        answer: given,
        pattern,
      });
      forgetDraft(asked);
      if (receipt === 'late') tell('Already answered by someone else.');
      makeStale('permissions', 'tasks', 'status', 'rules');
    } catch (error) {
      setSent(false);
      complain(error);
    }
  };
  return { isSent, answer };
}
