/**
 * Takes an entry out of a map whose entries come and go, and gives the map to go on with: a new one once nothing is
 * left. The tables that a Map outgrows hold on to each other, and all of them stay until a full collection.
 */
export function without<K, V>(map: Map<K, V>, key: K): Map<K, V> {
  if (!map.has(key)) return map;
  if (map.size === 1) return new Map();
  map.delete(key);
  return map;
}
