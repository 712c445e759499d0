// As Apple's CoreLocation does: apps that import it use Foundation without importing it.
@_exported public import Foundation
