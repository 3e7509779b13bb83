import { useRecords } from '../data/queries.ts';

/** Gives the name of an agent by its id, as people know it. */
export function useAgentName(): (id: string) => string {
  const { data } = useRecords(['backends'], (client) => client.backends.find());
  return (id) => data?.find((backend) => backend.id === id)?.label ?? id;
}
