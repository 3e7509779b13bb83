import type { TaskWatch } from '@baton/executor';
import { duration } from '../view/format.ts';
import { oneLine, safe } from '../view/style.ts';
import { findOne, shortId } from './find-one.ts';

const WIDTH = 200;

/** Lets a person who starts an executor by hand name its task in short, and see what it does. */
export const executorWatch: TaskWatch = {
  find: async (client, text) => (await findOne(client, text, ['task'])).id,
  began: ({ task: { task_id, backend, description }, session: { session_id, cwd } }) => {
    tell(`Task ${shortId(task_id)} of session ${shortId(session_id)}: ${backend} in ${cwd}`);
    tell(`  ${oneLine(description, WIDTH)}`);
  },
  ended: ({ task }, { outcome, durationMs, error }) => {
    const why = error ? ` ${oneLine(error.message, WIDTH)}` : '';
    const end = `${outcome.replace('_', ' ')} after ${duration(durationMs)}.`;
    tell(`Task ${shortId(task.task_id)}: ${end}${why}`);
  },
};

function tell(line: string): void {
  process.stderr.write(`${safe(line)}\n`);
}
