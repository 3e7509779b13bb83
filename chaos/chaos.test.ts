import { afterAll, beforeAll, describe, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../packages/store/src/testing/postgres.ts';
import { planRounds } from './plan.ts';
import { playRound } from './play-round.ts';
import { type BuiltCommand, buildCommand } from './world/built-command.ts';
import { whyNoSmallDisk } from './world/small-disk.ts';

const ROUNDS = Number(process.env.BATON_CHAOS_ROUNDS ?? 10);
const SEED = Number(process.env.BATON_CHAOS_SEED ?? 1);

const noDisk = whyNoSmallDisk();
if (noDisk) console.log(`No disk is filled here: ${noDisk}.`);
const plans = planRounds(SEED, ROUNDS, noDisk ? ['fill the disk'] : []);

describe('nothing is lost or doubled, and everything ends as it should', () => {
  let command: BuiltCommand;
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    command = await buildCommand();
    if (plans.some(({ engine }) => engine === 'postgres')) postgres = await startPostgres();
  }, 60_000);
  afterAll(async () => {
    await postgres?.stop();
    command.remove();
  }, 60_000);

  for (const plan of plans) {
    test(plan.name, () => playRound(plan, { main: command.main, postgres }), 300_000);
  }
});
