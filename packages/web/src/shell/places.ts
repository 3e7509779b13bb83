import { useMay } from '../data/daemon.tsx';
import type { IconName } from '../design/icon.tsx';

/** A view in the navigation. */
export type Place = {
  path: string;
  label: string;
  icon: IconName;
  /** The key of its shortcut, after `g`. */
  key: string;
  /** Shown in the bottom bar on phones; the others are in its menu. */
  isMain?: boolean;
  /** Hidden from viewers. */
  isForMembers?: boolean;
};

type Group = { title: string; places: readonly Place[] };

/** Groups of the navigation: daily work, and management. */
const GROUPS: readonly Group[] = [
  {
    title: 'Work',
    places: [
      { path: '/', label: 'New task', icon: 'add', key: 'n', isMain: true, isForMembers: true },
      { path: '/board', label: 'Board', icon: 'board', key: 'b', isMain: true },
      { path: '/inbox', label: 'Inbox', icon: 'inbox', key: 'i', isMain: true },
      { path: '/chains', label: 'Chains', icon: 'chain', key: 'c' },
    ],
  },
  {
    title: 'Manage',
    places: [
      { path: '/agents', label: 'Agents', icon: 'agent', key: 'a' },
      { path: '/workspaces', label: 'Workspaces', icon: 'fork', key: 'w' },
      { path: '/machines', label: 'Machines', icon: 'machine', key: 'm' },
      { path: '/usage', label: 'Usage', icon: 'usage', key: 'u' },
      { path: '/settings', label: 'Settings', icon: 'settings', key: 's' },
    ],
  },
];

const FOR_VIEWERS = GROUPS.map(({ title, places }): Group => {
  return { title, places: places.filter(({ isForMembers }) => !isForMembers) };
});
const ALL = GROUPS.flatMap(({ places }) => places);
const ALL_FOR_VIEWERS = FOR_VIEWERS.flatMap(({ places }) => places);

/** The views that are available to the user, in groups. */
export function usePlaceGroups(): readonly Group[] {
  return useMay('member') ? GROUPS : FOR_VIEWERS;
}

/** The views that are available to the user, without groups. */
export function usePlaces(): readonly Place[] {
  return useMay('member') ? ALL : ALL_FOR_VIEWERS;
}
