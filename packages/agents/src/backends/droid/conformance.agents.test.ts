import { agentPrograms } from '../../../../../testbed/agents.ts';
import { describeConformance } from '../../testing/agent-conformance.ts';
import { droidBackend } from '../../testing/built-in-backends.ts';

describeConformance('droid', droidBackend, agentPrograms.droid.native, {
  // Droid stays too long after its last turn: Baton ends it by force, and with it what its commands left running.
  endsLeftovers: true,
  // When its provider is overloaded or broken, Droid asks again for minutes.
  failures: ['auth', 'rate_limited', 'quota', 'context_too_long'],
  // Through print it also waits for minutes when the provider limits the rate.
  print: {
    failures: ['auth', 'quota', 'context_too_long'],
    lacks: ['streaming', 'images', 'mcp'],
  },
});
