import { useRecords } from '../data/queries.ts';
import { backendOf } from './backend-of.ts';

/** Gives the name of an agent by its id or an alias, as people know it. */
export function useAgentName(): (id: string) => string {
  const { data = [] } = useRecords(['backends'], (client) => client.backends.find());
  return (id) => backendOf(data, id)?.label ?? id;
}
