// What is compared with the peer server's recorded streams (docs/decisions/0014-peer-comparison.md), by the ids that tests cite.
export const peerRequirements = {
  'peer.values': 'values frames are those of the peer, named differences aside.',
  'peer.updates': 'updates frames are those of the peer, named differences aside.',
  'peer.messages': 'messages frames are those of the peer, named differences aside.',
  'peer.messages.whole':
    'messages/metadata, messages/partial and messages/complete frames are those of the peer, named differences aside.',
  'peer.custom': 'custom frames are those of the peer.',
  'peer.events': 'events frames are those of the peer, named differences aside.',
  'peer.debug': 'debug frames are those of the peer, named differences aside.',
  'peer.tasks': 'tasks frames are those of the peer, named differences aside.',
  'peer.checkpoints': 'checkpoints frames are those of the peer, named differences aside.',
  'peer.combined': 'Frames of several modes come in the order of the peer.',
  'peer.named': 'Every named difference is one: none of them is left over.',
  'peer.strict': 'The comparison notices a frame that is missing, out of order or one too many.',
  'peer.strict.fields': 'The comparison notices a field that is gone.',
};
