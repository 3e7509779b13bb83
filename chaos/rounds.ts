import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../packages/store/src/testing/postgres.ts';
import { planRounds, type RoundPlan } from './plan.ts';
import { playRound } from './play-round.ts';
import { whyNoSmallDisk } from './world/small-disk.ts';

const ROUNDS = Number(process.env.BATON_CHAOS_ROUNDS ?? 10);
const SEED = Number(process.env.BATON_CHAOS_SEED ?? 1);

/** Plays those rounds that an engine has in the plan; both engines are played side by side. */
export function playRoundsOn(engine: RoundPlan['engine']): void {
  const noDisk = whyNoSmallDisk();
  if (noDisk) console.log(`No disk is filled here: ${noDisk}.`);
  const plans = planRounds(SEED, ROUNDS, noDisk ? ['fill the disk'] : []);

  describe('nothing is lost or doubled, and everything ends as it should', () => {
    let postgres: TestPostgres | undefined;
    beforeAll(async () => {
      if (engine === 'postgres') postgres = await startPostgres();
    }, 60_000);
    afterAll(() => postgres?.stop(), 60_000);

    const mine = plans.filter((each) => each.engine === engine);
    // By hand there may be fewer rounds than engines, and a file without a test fails.
    if (mine.length === 0) test.skip(`none of ${ROUNDS} rounds is on ${engine}`);
    for (const plan of mine) {
      test(plan.name, () => playRound(plan, { main: inject('baton'), postgres }), 300_000);
    }
  });
}
