// As Apple's MediaPlayer does: apps that import it use these without importing them.
@_exported public import Foundation
@_exported public import UIKit
