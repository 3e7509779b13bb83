import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { Empty, Loading } from '../design/empty.tsx';
import { troubleOf } from './attempt.ts';

type Props<Result> = {
  query: UseQueryResult<Result>;
  /** The number of placeholder lines while it loads. */
  lines?: number;
  children: (data: Result) => ReactNode;
};

/** The error is shown after this many attempts. */
const MANY_FAILURES = 3;

/** Renders the result of a query, a placeholder while it loads, or its error. */
export function QueryResult<Result>({ query, lines, children }: Props<Result>) {
  if (query.data !== undefined) return children(query.data);
  const isStuck = query.failureCount >= MANY_FAILURES;
  const error = query.error ?? (isStuck ? query.failureReason : undefined);
  if (!error) return <Loading lines={lines} />;
  const { message, hint } = troubleOf(error);
  return (
    <Empty
      icon="warning"
      title={message}
      actions={<Button onClick={() => query.refetch()}>Retry</Button>}
    >
      {hint}
    </Empty>
  );
}
