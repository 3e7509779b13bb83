export function isRightNode(): boolean;
