import type { BackendRecord } from '@baton/client';
import { Link } from 'wouter';
import { CopyLine } from '../../design/copy-line.tsx';
import styles from './what-to-do.module.css';

/** The problems of an agent and the steps to fix them; empty for an agent that is ready. */
export function WhatToDo({ backend: { label, probe } }: { backend: BackendRecord }) {
  const needsKey = probe.installed && probe.credentials === 'missing';
  if (probe.problems.length === 0 && !needsKey) return null;
  return (
    <div className={styles.what}>
      {probe.problems.map(({ code, message, hint }) => (
        <p key={code}>
          {message.replace(/[^.!?]$/, '$&.')} {hint}
        </p>
      ))}
      {!probe.installed && (
        <CopyLine text={probe.install} label={`Copy the install command for ${label}`} />
      )}
      {needsKey && (
        <p>
          Sign in with the agent’s own CLI, or <Link href="/agents/keys">add an API key</Link>.
        </p>
      )}
    </div>
  );
}
