// Comparison with the peer server's recorded streams (docs/decisions/0014-peer-comparison.md), by the ids that tests cite.
export const peerRequirements = {
  'peer.values': 'values frames equal those of the peer, except for named differences.',
  'peer.updates': 'updates frames equal those of the peer, except for named differences.',
  'peer.messages': 'messages frames equal those of the peer, except for named differences.',
  'peer.messages.whole':
    'messages/metadata, messages/partial and messages/complete frames equal those of the peer, except for named differences.',
  'peer.custom': 'custom frames equal those of the peer.',
  'peer.events': 'events frames equal those of the peer, except for named differences.',
  'peer.debug': 'debug frames equal those of the peer, except for named differences.',
  'peer.tasks': 'tasks frames equal those of the peer, except for named differences.',
  'peer.checkpoints': 'checkpoints frames equal those of the peer, except for named differences.',
  'peer.combined': 'Frames of several modes have the same order as those of the peer.',
  'peer.named': 'Every named difference still occurs.',
  'peer.strict': 'The comparison detects a missing, misplaced or additional frame.',
  'peer.strict.fields': 'The comparison detects a missing field.',
};
