// As Apple's UIKit does: apps that import UIKit use Foundation without importing it. URLSession is in UIKitNetworking.
@_exported public import Foundation
@_exported public import IOSFoundation
