// As Apple's UserNotifications does: apps that import it use Foundation without importing it.
@_exported public import Foundation
