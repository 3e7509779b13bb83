import type { BackendRecord } from '@baton/client';
import { Badge } from '../../design/badge.tsx';
import { Facts } from '../../design/facts.tsx';
import { Card, Section } from '../../design/page-frame.tsx';
import { duration } from '../../text/time.ts';
import { WhatToDo } from '../list/what-to-do.tsx';
import { READINESS, readinessOf } from '../readiness.ts';
import { foundFacts } from './found-facts.ts';
import type { Tested } from './test-agent.tsx';

/** Tells what a test of an agent found, and what to do where something is wrong. */
export function TestReport({ backend, tested }: { backend: BackendRecord; tested: Tested }) {
  const { probe, tookMs } = tested;
  const { label, tone } = READINESS[readinessOf({ probe })];
  return (
    <Section title="Test">
      <Card>
        <div role="status">
          <Facts
            facts={[
              [
                'Outcome',
                <Badge key="outcome" tone={tone}>
                  {label}
                </Badge>,
              ],
              ...foundFacts(probe),
              ['Took', duration(tookMs)],
            ]}
          />
          <WhatToDo backend={{ ...backend, probe }} />
        </div>
      </Card>
    </Section>
  );
}
