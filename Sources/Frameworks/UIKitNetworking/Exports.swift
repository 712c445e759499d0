// As Apple's UIKit has it: URLSession, with background sessions. On Linux that is in a module of its own, whose
// libraries take as long to load as all else together; so UIKit leaves it to the apps that use it. What it lacks of
// background sessions is in another.
@_exported public import BackgroundTransfer
@_exported public import FoundationNetworking
