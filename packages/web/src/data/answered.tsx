import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { Empty, Loading } from '../design/empty.tsx';
import { troubleOf } from './attempt.ts';

type Props<Result> = {
  query: UseQueryResult<Result>;
  /** How many bars stand in the place of what is being loaded. */
  lines?: number;
  children: (data: Result) => ReactNode;
};

/** So often it is tried before somebody is told why nothing comes. */
const MANY_FAILURES = 3;

/** Shows what the daemon answered; before that that it is asked, or why there is no answer. */
export function Answered<Result>({ query, lines, children }: Props<Result>) {
  if (query.data !== undefined) return children(query.data);
  const isStuck = query.failureCount >= MANY_FAILURES;
  const error = query.error ?? (isStuck ? query.failureReason : undefined);
  if (!error) return <Loading lines={lines} />;
  const { message, hint } = troubleOf(error);
  return (
    <Empty
      icon="warning"
      title={message}
      actions={<Button onClick={() => query.refetch()}>Try again</Button>}
    >
      {hint}
    </Empty>
  );
}
