import type { ChainStatus, StepStatus } from '@baton/protocol';
import type { Tone } from '../../design/badge.tsx';
import type { IconName } from '../../design/icon.tsx';

export type StatusLook = { label: string; tone: Tone; icon?: IconName; isAlive?: boolean };

/** Labels, tones and icons of the statuses of chain runs and their steps. */
export const CHAIN_LOOKS: Readonly<Record<ChainStatus | StepStatus, StatusLook>> = {
  running: { label: 'Running', tone: 'info', isAlive: true },
  awaiting_approval: { label: 'Needs approval', tone: 'warn', icon: 'question' },
  interrupted: { label: 'Interrupted', tone: 'warn', icon: 'warning' },
  done: { label: 'Done', tone: 'good', icon: 'check' },
  failed: { label: 'Failed', tone: 'bad', icon: 'close' },
  timed_out: { label: 'Timed out', tone: 'bad', icon: 'clock' },
  cancelled: { label: 'Stopped', tone: 'neutral', icon: 'stop' },
  skipped: { label: 'Skipped', tone: 'neutral' },
};

/** A step that has not started. */
export const NOT_STARTED: StatusLook = { label: 'Not started', tone: 'neutral' };
