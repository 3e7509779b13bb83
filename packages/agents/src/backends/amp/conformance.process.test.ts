import { describe, test } from 'vitest';
import { conformanceCases } from '../../../../agent-tools/src/conformance/index.ts';
import { standInSubject } from '../../testing/stand-in/stand-in.ts';
import { ampEntry } from './index.ts';

const subject = await standInSubject(ampEntry, 'amp', {
  env: { AMP_API_KEY: 'a-key' },
  providerOptions: { thinking: true },
});

describe('a program that prints as Amp is documented to passes the conformance suite', () => {
  const cases = conformanceCases(subject).filter(({ skip }) => skip === undefined);
  for (const { name, run } of cases) test(name, run);
});
