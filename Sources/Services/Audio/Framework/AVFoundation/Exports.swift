// As Apple's AVFoundation does: apps that import it use these without importing them.
@_exported public import AVFAudio
@_exported public import CoreMedia
@_exported public import Foundation
