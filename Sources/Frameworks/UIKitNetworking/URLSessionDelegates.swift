public import BackgroundTransfer
public import FoundationNetworking

// Apple's URLSessionDelegate and URLSessionTaskDelegate have methods that Foundation's on Linux lack, and a method that
// no protocol requires cannot be called from outside. These protocols have them. A file that imports UIKitNetworking
// sees them in place of Foundation's, of which they are refinements; a file that imports FoundationNetworking or
// BackgroundTransfer as well sees both, and the compiler calls the name ambiguous: remove that import, it is not needed
// beside this one.

/// A session's delegate, as Apple declares it.
public protocol URLSessionDelegate: URLSessionBackgroundDelegate {}

/// A delegate of a session's tasks, as Apple declares it.
public protocol URLSessionTaskDelegate: URLSessionConnectivityDelegate, URLSessionDelegate {}

/// A delegate of a session's data and upload tasks, as Apple declares it.
public protocol URLSessionDataDelegate: FoundationNetworking.URLSessionDataDelegate, URLSessionTaskDelegate {}

/// A delegate of a session's downloads, as Apple declares it.
public protocol URLSessionDownloadDelegate: FoundationNetworking.URLSessionDownloadDelegate, URLSessionTaskDelegate {}

/// A delegate of a session's web sockets, as Apple declares it.
public protocol URLSessionWebSocketDelegate: FoundationNetworking.URLSessionWebSocketDelegate, URLSessionTaskDelegate {}
