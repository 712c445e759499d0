// As Apple's UIKit does: apps that import UIKit use Foundation without importing it, URLSession included. On Linux that
// is in a module of its own, and what it lacks of background sessions in another.
@_exported public import BackgroundTransfer
@_exported public import Foundation
@_exported public import FoundationNetworking
