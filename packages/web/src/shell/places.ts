import { useMay } from '../data/daemon.tsx';
import type { IconName } from '../design/icon.tsx';

/** A view that the navigation leads to. */
export type Place = {
  path: string;
  label: string;
  icon: IconName;
  /** The key behind `g` that leads there. */
  key: string;
  /** Kept in the bar at the bottom of a phone; the others are behind its menu. */
  isMain?: boolean;
  /** Of no use to those who may only look. */
  isForMembers?: boolean;
};

type Group = { title: string; places: readonly Place[] };

/** What people do all day, and what they set up once. */
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

/** The views that are of use to this person, by what they are for. */
export function usePlaceGroups(): readonly Group[] {
  return useMay('member') ? GROUPS : FOR_VIEWERS;
}

/** The same, one after another. */
export function usePlaces(): readonly Place[] {
  return useMay('member') ? ALL : ALL_FOR_VIEWERS;
}
