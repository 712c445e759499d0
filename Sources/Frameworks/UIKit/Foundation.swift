// As Apple's UIKit does: apps that import UIKit use Foundation without importing it.
@_exported public import Foundation
